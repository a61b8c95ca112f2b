// Everything that is done by jobs, and what each is told.
export type JobPayloads = {
  /** Hands the waiting messages of one conversation to their provider, in order. */
  deliver_messages: { workspaceId: string; conversationId: string }
  /** Brings the file of a pending attachment from its provider into our own storage. */
  fetch_media: { workspaceId: string; attachmentId: string }
  /** Tells the provider that somebody has read what the customer wrote. */
  mark_read: { workspaceId: string; channelAccountId: string; conversationId: string; tries?: number }
  /** Sends what waits of a broadcast from one number. */
  run_broadcast: { workspaceId: string; broadcastId: string; channelAccountId: string }
  /** Tells of a broadcast's progress what was passed over while it was told a moment before. */
  announce_broadcast: { workspaceId: string; broadcastId: string }
  /** Asks a provider for the name and picture of somebody who wrote. */
  fetch_profile: { workspaceId: string; channelAccountId: string; externalId: string; tries?: number }
  /** Takes up deliveries that a process left behind, and gives up those that were never confirmed. */
  sweep_deliveries: { isStart?: boolean }
  /** Mails the code that a browser asked for, where the email is a member's. */
  send_sign_in_code: { browserHash: string }
  /** Takes up files that nobody fetches, and removes those that no message has taken. */
  sweep_files: { isStart?: boolean }
  /** Deletes events and idempotency keys past their time. */
  sweep_old_rows: Record<string, never>
}

export type JobName = keyof JobPayloads
