// How far a run may go. Each has its own end reason, so that a person sees which one it was.
export const SPRINT_STEPS_MAX = 100
export const SPRINT_MESSAGES_MAX = 5
/** The last one is kept for the hand-over of a run that can't go on. */
export const SPRINT_EFFECTS_MAX = 20
export const RUN_STEPS_MAX = 500
export const RUN_MESSAGES_MAX = 60
export const STATE_BYTES_MAX = 64 * 1024
/** Flows within flows. */
export const DEPTH_MAX = 5
/** Of a response's kept fields, as JSON. */
export const KEPT_BYTES_MAX = 8 * 1024
export const MESSAGE_TEXT_MAX = 4_000
export const MESSAGE_ATTACHMENTS_MAX = 10
/** Matching takes about 27 ns for each of these units and each character of a text: together 54 ms at worst. */
export const PATTERNS_SIZE_MAX = 2_000
export const PATTERN_TEXT_MAX = 1_000
export const LIST_ITEMS_MAX = 50
export const NOTE_MAX = 4_000
export const CONTACT_NAME_MAX = 120
