// What the AI agent may use of a model, beside the money that a workspace sets itself (ai_settings).
const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** Turns with at least one request, of a conversation. */
export const TURNS_PER_HOUR_MAX = 12
export const TURNS_PER_DAY_MAX = 30
/** Of a conversation. */
export const TOKENS_PER_DAY_MAX = 60_000
/** Of a contact, in all of their conversations. */
export const CONTACT_TURNS_PER_DAY_MAX = 60
/** Of a workspace. */
export const REQUESTS_PER_MINUTE_MAX = 60
export const REQUESTS_AT_ONCE_MAX = 8
/** Of those, what tests of the agent may take: the rest is left to customers. */
export const TEST_REQUESTS_PER_MINUTE_MAX = 30
export const TEST_REQUESTS_AT_ONCE_MAX = 2
export const REQUESTS_WITHIN_MS = MINUTE_MS
/**
 * No request takes longer. A reservation that is older and wasn't settled belongs to a process that died: it no longer
 * counts as under way, but keeps what it reserved, because the provider may have charged for it.
 */
export const REQUEST_MAX_MS = MINUTE_MS
/** How long a turn waits that met a limit of the moment. */
export const AGAIN_MS = 1_000
/** The longest window. */
export const USAGE_KEPT_MS = 2 * DAY_MS
/** Admins are told when this part of the money is spent. */
export const WARNING_SHARE = 0.8
