// Why a run ended: one row for each reason, with the status that it gives and words for people.
type Row = { status: 'completed' | 'failed' | 'cancelled'; says: string }

export const END_REASONS = {
  finished: { status: 'completed', says: 'Reached the end of the flow' },
  handed_over: { status: 'completed', says: 'Handed over to the team' },
  asked_for_person: { status: 'completed', says: 'The customer asked for a person' },
  not_understood: { status: 'completed', says: 'Handed over because replies weren’t understood' },
  assigned_to_ai: { status: 'completed', says: 'Assigned to the AI agent' },
  continued_elsewhere: { status: 'completed', says: 'Continued in another flow' },

  step_failed: { status: 'failed', says: 'A step couldn’t be done' },
  window_closed: { status: 'failed', says: 'The reply window had closed and no template was set' },
  opted_out: { status: 'failed', says: 'The customer has opted out of messages' },
  blocked: { status: 'failed', says: 'The customer is blocked' },
  channel_unavailable: { status: 'failed', says: 'The channel can’t send messages' },
  template_missing: { status: 'failed', says: 'The template no longer exists or isn’t approved' },
  empty_text: { status: 'failed', says: 'The message was empty after filling in its values' },
  attachment_missing: { status: 'failed', says: 'An attachment no longer exists' },
  no_options: { status: 'failed', says: 'No option of the question applied' },
  agent_missing: { status: 'failed', says: 'The agent no longer exists' },
  nobody_available: { status: 'failed', says: 'None of the agents was available' },
  hours_missing: {
    status: 'failed',
    says: 'The business hours no longer exist or have an unknown time zone',
  },
  action_missing: { status: 'failed', says: 'The action no longer exists' },
  action_failed: { status: 'failed', says: 'The action failed' },
  action_unknown: { status: 'failed', says: 'The action’s outcome is unknown' },
  flow_missing: { status: 'failed', says: 'The flow to continue with no longer exists' },
  flow_too_deep: { status: 'failed', says: 'Too many flows called each other' },
  not_delivered: { status: 'failed', says: 'A message couldn’t be delivered' },
  part_failed: { status: 'failed', says: 'A flow that was part of this one failed' },
  sprint_steps_exceeded: { status: 'failed', says: 'Took too many steps without waiting' },
  sprint_messages_exceeded: { status: 'failed', says: 'Sent too many messages without waiting' },
  sprint_effects_exceeded: { status: 'failed', says: 'Made too many changes without waiting' },
  run_steps_exceeded: { status: 'failed', says: 'Took too many steps' },
  run_messages_exceeded: { status: 'failed', says: 'Sent too many messages' },
  state_too_large: { status: 'failed', says: 'Collected more data than a run can hold' },
  broken_definition: { status: 'failed', says: 'The flow refers to a block or step that doesn’t exist' },

  no_answer: { status: 'cancelled', says: 'The customer didn’t reply in time' },
  customer_replied: { status: 'cancelled', says: 'The customer replied while the flow was waiting' },
  person_took_over: { status: 'cancelled', says: 'A teammate took over' },
  conversation_closed: { status: 'cancelled', says: 'The conversation was closed' },
  stopped: { status: 'cancelled', says: 'Stopped by a teammate' },
  flow_unpublished: { status: 'cancelled', says: 'The flow was paused, archived or deleted' },
  interrupted: { status: 'cancelled', says: 'Another flow’s keyword interrupted it' },
  contact_merged: { status: 'cancelled', says: 'The contact was merged with one that already has a flow' },
  limit_reached: { status: 'cancelled', says: 'A limit on automated messages was reached' },
  looks_automated: { status: 'cancelled', says: 'The other side appears to be a program' },
} as const satisfies Record<string, Row>

export type EndReason = keyof typeof END_REASONS
