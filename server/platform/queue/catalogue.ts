// All kinds of jobs and their payloads. Messages to customers are not sent by jobs: see dispatch-deliveries.ts.
export type JobPayloads = {
  /** Downloads the file of a pending attachment from its provider into our storage. */
  fetch_media: { workspaceId: string; attachmentId: string }
  /** Tells the provider that an agent has read the customer's messages. */
  mark_read: { workspaceId: string; channelAccountId: string; conversationId: string; tries?: number }
  /** Sends the team's reaction to a customer's message, or takes it away. */
  send_reaction: { workspaceId: string; channelAccountId: string; reactedId: string }
  /** Sends a broadcast's waiting messages from one number. */
  run_broadcast: { workspaceId: string; broadcastId: string; channelAccountId: string }
  /** Announces a broadcast's progress that was skipped because an earlier update was too recent. */
  announce_broadcast: { workspaceId: string; broadcastId: string }
  /** Fetches the name and picture of a customer from their provider. */
  fetch_profile: { workspaceId: string; channelAccountId: string; externalId: string; tries?: number }
  /** Resumes deliveries that a process left behind, and gives up those that were never confirmed. */
  sweep_deliveries: { isStart?: boolean }
  /** Emails the code that a browser requested, if the address is a member's. */
  send_sign_in_code: { browserHash: string }
  /** Emails a person that their passkeys have changed. */
  tell_of_passkey: {
    noticeId: string
    accountId: string
    happening: 'added' | 'removed' | 'reset'
    name: string | null
  }
  /** Sends a customer the code that they enter in their conversation, if it is still wanted. */
  send_identity_code: { workspaceId: string; codeId: string }
  /** Emails a workspace's admins that most of the AI agent's budget is spent. */
  warn_of_spending: { workspaceId: string; period: 'day' | 'month' }
  /** Resumes downloads that no process is working on, and removes files that no message has used. */
  sweep_files: { isStart?: boolean }
  /** Retries storing what webhooks and mailboxes brought and could not be stored. */
  retry_leftovers: Record<string, never>
  /**
   * Gives an account what arrived for it before it was connected. `isAgain`: all processes know the account by now.
   */
  adopt_leftovers: { workspaceId: string; channelAccountId: string; isAgain?: boolean }
  /** Gives published knowledge that has no vectors yet to the workspaces' embedding models. */
  embed_knowledge: Record<string, never>
  /** Rebuilds the indexes that messages leave sparse. */
  rebuild_indexes: Record<string, never>
  /** Folds what changed in the number of contacts of each day. */
  fold_contact_days: Record<string, never>
  /** Reads a website or file into knowledge, for one turn. */
  read_source: { workspaceId: string; sourceId: string }
  /** Plays the tests of a run of the AI agent's tests, for one turn. */
  evaluate_agent: { workspaceId: string; runId: string }
  /** Starts reading what is due. */
  sweep_sources: Record<string, never>
  /** Looks whether the tools of MCP servers are still what was approved. */
  check_mcp_servers: Record<string, never>
  /** Emails a workspace's admins that an endpoint of webhooks fails, or was disabled. */
  warn_of_webhook: { workspaceId: string; endpointId: string; warning: string }
  /** Drops and deletes what endpoints no longer need. */
  sweep_webhooks: Record<string, never>
  /** Writes an export's files, from the beginning. */
  run_export: { workspaceId: string; exportId: string }
  /** Removes what is about an erased contact, batch by batch. */
  erase_contact: { workspaceId: string; erasureId: string }
  /** Closes and deletes old conversations by the rules of their channel accounts. */
  apply_retention: Record<string, never>
  /** Brings conversations back whose snooze has ended. */
  wake_snoozed: Record<string, never>
  /** Gives what waits in a workspace’s teams to whoever may take more. */
  hand_out: { teamsOf: string }
  /** The same for all workspaces: hours begin, and somebody may be back. */
  sweep_teams: Record<string, never>
  /** Prepares emails with replies that visitors of a website haven’t seen. */
  prepare_chat_emails: Record<string, never>
  /** Sends one of them, unless the visitor has come back. */
  send_chat_email: { workspaceId: string; mailId: string }
  /** Says which customers should have been answered by now. */
  announce_overdue: Record<string, never>
  /** Emails people about what nobody has reacted to. */
  send_digests: Record<string, never>
  /** Stores what reports count of days that are over or have changed. */
  roll_up_reports: Record<string, never>
  /** Deletes expired events and idempotency keys. */
  sweep_old_rows: Record<string, never>
}

export type JobName = keyof JobPayloads
