import type { HAND_OVER_REASONS } from '../../platform/db/tables.ts'

/** Why the AI agent leaves a conversation to people. */
export type HandOverReason = (typeof HAND_OVER_REASONS)[number]
