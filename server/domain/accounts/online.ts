const ONLINE_WITHIN_MS = 60_000

/** People who were last seen at this time or later are online. */
export const onlineSince = (now: Date): Date => new Date(now.getTime() - ONLINE_WITHIN_MS)
