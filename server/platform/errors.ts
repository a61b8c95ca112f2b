// Every error an API caller can get, one row per code. Operations throw a code; the HTTP layer maps it to a status.

export type ErrorDetail = { field: string; message: string }

export const ERRORS = {
  VALIDATION_ERROR: [400, 'The request is invalid. See details.'],
  WHATSAPP_SERVICE_WINDOW_CLOSED: [
    400,
    'The 24-hour WhatsApp reply window is closed. Send an approved template to reopen it.',
  ],
  CUSTOMER_UNREACHABLE: [
    400,
    'The customer has blocked or opted out of messages on this channel. They have to write first.',
  ],
  REPLY_WINDOW_CLOSED: [
    400,
    'The reply window on this channel is closed. You can reply once the customer writes again.',
  ],
  LAST_ADMIN: [400, 'This would leave the workspace without an admin. Make someone else an admin first.'],
  AGENT_MANAGED: [400, 'The AI agent is managed by the platform and cannot be changed or removed.'],
  ROLE_IS_DEFAULT: [400, 'The default role cannot be deleted because members fall back to it.'],
  INVALID_AGENT: [400, 'agentId is not an active agent of this workspace.'],
  INVALID_TEAM: [400, 'teamId is not a team of this workspace.'],
  CHANNEL_NOT_CONNECTED: [400, 'The workspace has no channel of this type. Connect one first.'],
  WHATSAPP_NOT_CONNECTED: [400, 'The workspace has no WhatsApp number. Connect one first.'],
  WHATSAPP_SENDER_AMBIGUOUS: [400, 'Several WhatsApp numbers are connected. Set "from" to one of them.'],
  SIGN_IN_CODES_OFF: [
    400,
    'This server cannot send email. Ask whoever runs it for a sign-in link (foyer sign-in-link --email …).',
  ],
  SIGN_IN_BY_PROVIDER_ONLY: [400, 'Sign-in codes are turned off. Sign in with your identity provider.'],
  PASSKEYS_UNAVAILABLE: [
    400,
    'Browsers only allow passkeys at a host name with https, or at localhost. See PUBLIC_URL.',
  ],
  PASSKEY_REFUSED: [400, 'The passkey could not be verified, or it took too long. Try again.'],
  NO_WHATSAPP_RECIPIENTS: [400, 'No one in the audience can be reached on WhatsApp.'],
  FLOW_INVALID: [400, 'The flow has errors and cannot be published. See details.'],
  CHANNEL_NOT_SUPPORTED: [400, 'Messages cannot be sent on this channel through the API.'],
  ATTACHMENTS_NOT_SUPPORTED: [400, 'Files cannot be sent on this channel.'],
  MISSING_TOKEN: [401, 'Send the header "Authorization: Bearer <API token>".'],
  INVALID_API_TOKEN: [401, 'Invalid or revoked API token.'],
  INVALID_SIGNATURE: [401, 'The webhook signature or secret is missing or invalid.'],
  METRICS_TOKEN_REQUIRED: [401, 'Send the header "Authorization: Bearer <METRICS_TOKEN>".'],
  SIGNED_OUT: [401, 'You are signed out. Sign in again.'],
  SIGN_IN_REFUSED: [401, 'The code or link is incorrect, expired or already used. Request a new one.'],
  SECOND_FACTOR_REFUSED: [
    401,
    'This passkey or recovery code was not accepted. Try again, or use another one.',
  ],
  INVALID_VISITOR_TOKEN: [401, 'The visitor token is invalid. Start a new session.'],
  FORBIDDEN: [403, "You don't have permission. Ask an admin."],
  CONFIRMATION_REQUIRED: [403, 'You signed in a while ago. Confirm that it is you, or sign in again.'],
  COMPANY_MISMATCH: [403, 'The agent belongs to a different workspace than the conversation.'],
  INSUFFICIENT_SCOPE: [403, 'The API token does not have access to this. See details.'],
  ADDRESS_NOT_ALLOWED: [403, 'The API token cannot be used from this address.'],
  ORIGIN_NOT_ALLOWED: [403, 'This site is not an allowed origin of the web channel.'],
  IDENTITY_REFUSED: [403, 'The signed identity was refused.'],
  IDENTITY_REQUIRED: [403, 'This chat is only open to people who are signed in on its site.'],
  VISITOR_BLOCKED: [403, 'You have been blocked from this chat.'],
  FILE_LINK_INVALID: [403, 'The file link is invalid or has expired. Get the message again for a new one.'],
  NOT_FOUND: [404, 'This path does not exist.'],
  CONVERSATION_NOT_FOUND: [404, 'Conversation not found.'],
  AGENT_NOT_FOUND: [404, 'Agent not found.'],
  MESSAGE_NOT_FOUND: [404, 'Outbound message not found.'],
  CONTACT_NOT_FOUND: [404, 'Contact not found.'],
  MERGE_NOT_FOUND: [404, 'This merge can no longer be undone.'],
  ERASURE_NOT_FOUND: [404, 'Erasure not found.'],
  CONTACT_GROUP_NOT_FOUND: [404, 'Contact group not found.'],
  ATTACHMENT_NOT_FOUND: [404, 'Attachment not found.'],
  NOTE_NOT_FOUND: [404, 'Note not found.'],
  TAG_NOT_FOUND: [404, 'Tag not found.'],
  TEAM_NOT_FOUND: [404, 'Team not found.'],
  BROADCAST_NOT_FOUND: [404, 'Broadcast not found.'],
  EVENT_NOT_FOUND: [404, 'Event not found. Events are kept for a limited time.'],
  SIGN_IN_NOT_FOUND: [404, 'This sign-in has already ended.'],
  PASSKEY_NOT_FOUND: [404, 'Passkey not found.'],
  FLOW_NOT_FOUND: [404, 'Flow not found.'],
  FLOW_VERSION_NOT_FOUND: [404, 'This version of the flow does not exist.'],
  GUIDANCE_VERSION_NOT_FOUND: [404, 'This version of the instructions does not exist.'],
  FLOW_TEST_NOT_FOUND: [404, 'Test not found.'],
  FLOW_RUN_NOT_FOUND: [404, 'Flow run not found.'],
  PROPOSAL_NOT_FOUND: [404, 'The AI agent proposed no such action here.'],
  AI_TEST_NOT_FOUND: [404, 'This test no longer exists.'],
  AI_TEST_RUN_NOT_FOUND: [404, 'This run no longer exists.'],
  AI_TURN_NOT_FOUND: [404, 'This is no longer available.'],
  REPLY_DRAFT_NOT_FOUND: [404, 'This draft is no longer available.'],
  CHANNEL_NOT_FOUND: [404, 'Channel not found.'],
  LEFTOVER_NOT_FOUND: [404, 'This delivery was already stored or dismissed.'],
  WHATSAPP_TEMPLATE_NOT_FOUND: [
    404,
    'The sending number has no approved template with this name and language.',
  ],
  ARTICLE_NOT_FOUND: [404, 'Article not found.'],
  ANSWER_NOT_FOUND: [404, 'Answer not found.'],
  KNOWLEDGE_SOURCE_NOT_FOUND: [404, 'Website or file not found.'],
  FILE_NOT_AVAILABLE: [404, 'File not found.'],
  WEBHOOK_ENDPOINT_NOT_FOUND: [404, 'Webhook endpoint not found.'],
  WEBHOOK_DELIVERY_NOT_FOUND: [404, 'Webhook delivery not found.'],
  EXPORT_NOT_FOUND: [404, 'Export not found.'],
  METHOD_NOT_ALLOWED: [405, 'This path does not support that method. See the Allow header.'],
  TOKEN_NOT_ACTIVE: [409, 'The token is revoked or has expired. Create a new one.'],
  EXPORT_RUNNING: [409, 'An export of this workspace is still running. Wait until it has ended.'],
  WEBHOOK_LIMIT_REACHED: [409, 'The workspace already has 20 webhook endpoints. Delete one first.'],
  PASSKEY_LIMIT_REACHED: [409, 'You already have 20 passkeys. Remove one first.'],
  PASSKEY_EXISTS: [409, 'This passkey was already added.'],
  AGENT_ALREADY_MEMBER: [409, 'This email already belongs to a member of the workspace.'],
  CONTACT_BEING_DELETED: [409, 'The contact is being deleted.'],
  CONTACT_CONFLICT: [409, 'These keys belong to different contacts. See details.'],
  FLOW_DRAFT_CHANGED: [409, 'Someone else changed this draft. Reload it before you go on.'],
  AI_TESTS_RUNNING: [409, 'Tests are running already. Wait for them, or cancel them.'],
  GUIDANCE_CHANGED: [409, 'Someone else changed this draft. Reload it before you go on.'],
  GUIDANCE_UNCHANGED: [409, 'Nothing has changed since the live version.'],
  FLOW_UNCHANGED: [409, 'Nothing has changed since the live version.'],
  FLOW_HAS_WARNINGS: [409, 'The flow has warnings or failing tests. Accept them to publish it. See details.'],
  FLOW_STATE_CONFLICT: [409, 'The flow is in a state that does not allow this.'],
  KNOWLEDGE_CHANGED: [
    409,
    'Someone else changed this article or answer. Read it again before you replace it.',
  ],
  NICKNAME_TAKEN: [409, 'That display name is taken.'],
  PROPOSAL_ENDED: [409, 'This has expired, or someone else has already decided.'],
  FLOW_NOT_LIVE: [409, 'The flow is not live. Publish or resume it first.'],
  FLOW_IS_RUNNING: [409, 'Another flow is talking to this customer. Cancel its run first.'],
  CONVERSATION_WITH_PERSON: [
    409,
    'A person has this conversation, or automation is paused there. Unassign it or resume automation first.',
  ],
  AI_NOT_AVAILABLE: [409, 'The AI agent is turned off or stopped.'],
  REPLY_COLLISION: [409, 'Someone else replied while you were writing.'],
  TOO_LATE_TO_UNDO: [409, 'This message was already sent or undone.'],
  IDEMPOTENCY_KEY_IN_USE: [409, 'A request with this Idempotency-Key is still running. Try again shortly.'],
  CURSOR_EXPIRED: [
    410,
    'Events after this cursor may be missing. Start again with from=sync, and read the lists.',
  ],
  PAYLOAD_TOO_LARGE: [413, 'The request is too large: a body can have 1 MiB, and a file 25 MiB.'],
  UPLOAD_QUOTA_EXCEEDED: [
    413,
    'The workspace has used up its upload storage. Ask whoever runs the server to raise the limit ' +
      '(foyer workspace upload-limit …).',
  ],
  UNSUPPORTED_MEDIA_TYPE: [415, 'Send the body as JSON with "Content-Type: application/json".'],
  RANGE_NOT_SATISFIABLE: [416, 'The requested range is outside the file. See the Content-Range header.'],
  WORKSPACE_MOVED: [421, 'This workspace was moved to another server. Use the address of that one.'],
  IDEMPOTENCY_KEY_REUSED: [
    422,
    'This Idempotency-Key was already used for a different request. Use a new key.',
  ],
  RATE_LIMIT_EXCEEDED: [429, 'Rate limit exceeded. Wait for the number of seconds in Retry-After.'],
  REQUEST_HEADERS_TOO_LARGE: [431, 'The request line and headers are larger than 16 KiB.'],
  INTERNAL_ERROR: [500, 'Something went wrong on our side. Include the X-Request-Id when you report it.'],
  MAILBOX_SIGN_IN_FAILED: [400, 'Couldn’t sign in to the mailbox. Try again.'],
  SIGN_IN_PROVIDER_UNAVAILABLE: [
    503,
    'Your identity provider is not responding as it should. Try again in a few minutes.',
  ],
  SERVICE_UNAVAILABLE: [503, 'The service is temporarily unavailable. Try again shortly.'],
} as const satisfies Record<string, readonly [status: number, message: string]>

export type ErrorCode = keyof typeof ERRORS

/** An error shown to the caller. `message` overrides the code's default text when there is more to say. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetail[] | undefined
  readonly headers: Record<string, string>

  constructor(
    code: ErrorCode,
    options: { message?: string; details?: ErrorDetail[]; headers?: Record<string, string> } = {},
  ) {
    super(options.message ?? ERRORS[code][1])
    this.name = 'ApiError'
    this.code = code
    this.details = options.details
    this.headers = options.headers ?? {}
  }

  get status(): number {
    return ERRORS[this.code][0]
  }
}

/** A validation error on fields that only an operation can check, such as an id that must exist. */
export const invalid = (...details: ErrorDetail[]): ApiError => new ApiError('VALIDATION_ERROR', { details })
