// Everything that is done by jobs, and what each is told.
export type JobPayloads = {
  /** Hands the waiting messages of one conversation to their provider, in order. */
  deliver_messages: { workspaceId: string; conversationId: string }
  /** Takes up deliveries that a process left behind, and gives up those that were never confirmed. */
  sweep_deliveries: { isStart?: boolean }
  /** Deletes events and idempotency keys past their time. */
  sweep_old_rows: Record<string, never>
}

export type JobName = keyof JobPayloads
