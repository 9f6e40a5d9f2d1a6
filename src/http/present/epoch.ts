/** A moment as JSON has it everywhere: whole seconds, written with a fraction, since clients in stricter languages read a float. */
export const epochText = (milliseconds: number): string => `${Math.floor(milliseconds / 1000)}.0`

/** The same as a value to be put into an object. */
export const epoch = (milliseconds: number): object => JSON.rawJSON(epochText(milliseconds))
