const ARCHIVED_AFTER = 180 * 24 * 60 * 60 * 1000

/** A thing of 180 days takes no more votes, replies or locks. */
export const isArchived = (created: number, at: number): boolean => at - created >= ARCHIVED_AFTER
