/** Preloaded by a process of the service: its clock is so many milliseconds ahead of the machine's. */
const ahead = Number(process.env.CLOCK_AHEAD_MS)
const clock = Date.now
Date.now = () => clock() + ahead
