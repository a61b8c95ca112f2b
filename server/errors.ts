// Every error that a caller can meet: one row for each code. Operations throw a code; the edge makes the status.

export type ErrorDetail = { field: string; message: string }

export const ERRORS = {
  VALIDATION_ERROR: [400, 'The request is not valid: see details.'],
  WHATSAPP_SERVICE_WINDOW_CLOSED: [
    400,
    'The 24-hour WhatsApp reply window is closed. Send an approved template to reopen it.',
  ],
  CUSTOMER_UNREACHABLE: [400, 'The customer wants no messages on this channel. They have to write first.'],
  REPLY_WINDOW_CLOSED: [
    400,
    'The customer has not written for too long: this channel takes no answer until they write again.',
  ],
  LAST_ADMIN: [400, 'This would leave the workspace without an admin. Make somebody else an admin first.'],
  AGENT_MANAGED: [400, 'The AI agent is managed by the platform and cannot be changed or removed.'],
  ROLE_IS_DEFAULT: [400, 'The default role cannot be removed: members fall back to it.'],
  INVALID_AGENT: [400, 'agentId names no active agent of this workspace.'],
  CHANNEL_NOT_CONNECTED: [400, 'The workspace has no channel account of this kind. Connect one first.'],
  WHATSAPP_NOT_CONNECTED: [400, 'The workspace has no WhatsApp number. Connect one first.'],
  WHATSAPP_SENDER_AMBIGUOUS: [400, 'Several WhatsApp numbers are connected: name one in "from".'],
  SIGN_IN_CODES_OFF: [
    400,
    'This server sends no email. Ask whoever runs it for a sign-in link (foyer sign-in-link --email …).',
  ],
  NO_WHATSAPP_RECIPIENTS: [400, 'Nobody in the audience can be reached on WhatsApp.'],
  CHANNEL_NOT_SUPPORTED: [400, 'Messages cannot be sent on this channel through the API.'],
  ATTACHMENTS_NOT_SUPPORTED: [400, 'Files cannot be sent on this channel.'],
  MISSING_TOKEN: [401, 'Send the header "Authorization: Bearer <API token>".'],
  INVALID_API_TOKEN: [401, 'Invalid or revoked API token.'],
  INVALID_SIGNATURE: [401, 'The proof of origin is missing or wrong.'],
  SIGNED_OUT: [401, 'You are signed out. Sign in again.'],
  SIGN_IN_REFUSED: [401, 'The code or link is wrong, was used already, or is too old. Ask for a new one.'],
  INVALID_VISITOR_TOKEN: [401, 'The visitor token is not known. Start a new session.'],
  FORBIDDEN: [403, 'You may not do this. Ask an admin of the workspace.'],
  COMPANY_MISMATCH: [403, 'The agent belongs to a different workspace than the conversation.'],
  ORIGIN_NOT_ALLOWED: [403, 'This site is not on the list of allowed origins of the web channel.'],
  FILE_LINK_INVALID: [
    403,
    'The link to this file is wrong or has expired. Get the message again for a new one.',
  ],
  NOT_FOUND: [404, 'There is nothing at this path.'],
  CONVERSATION_NOT_FOUND: [404, 'The workspace has no such conversation.'],
  AGENT_NOT_FOUND: [404, 'The workspace has no such active agent.'],
  MESSAGE_NOT_FOUND: [404, 'The workspace has no such message of its own.'],
  CONTACT_NOT_FOUND: [404, 'The workspace has no such contact.'],
  CONTACT_GROUP_NOT_FOUND: [404, 'The workspace has no such contact group.'],
  BROADCAST_NOT_FOUND: [404, 'The workspace has no such broadcast.'],
  CHANNEL_NOT_FOUND: [404, 'There is no such channel.'],
  WHATSAPP_TEMPLATE_NOT_FOUND: [
    404,
    'The sending number has no approved template of this name and language.',
  ],
  FILE_NOT_AVAILABLE: [404, 'There is no such file.'],
  METHOD_NOT_ALLOWED: [405, 'This path does not take that method: see the Allow header.'],
  AGENT_ALREADY_MEMBER: [409, 'The email already belongs to a member of the workspace.'],
  NICKNAME_TAKEN: [409, 'The display name is already used by somebody on the platform.'],
  IDEMPOTENCY_KEY_IN_USE: [409, 'A request with this Idempotency-Key is still running. Try again shortly.'],
  PAYLOAD_TOO_LARGE: [413, 'The body is larger than 1 MiB.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'Send the body as JSON with "Content-Type: application/json".'],
  RANGE_NOT_SATISFIABLE: [416, 'The file has no such bytes: see the Content-Range header.'],
  IDEMPOTENCY_KEY_REUSED: [422, 'This Idempotency-Key was used with another request. Use a new key.'],
  RATE_LIMIT_EXCEEDED: [429, 'Rate limit exceeded. Wait for the seconds in Retry-After.'],
  REQUEST_HEADERS_TOO_LARGE: [431, 'The request line and headers are larger than 16 KiB.'],
  INTERNAL_ERROR: [500, 'Something went wrong on our side. Quote the X-Request-Id when you report it.'],
  SERVICE_UNAVAILABLE: [503, 'The service cannot reach its database right now. Try again shortly.'],
} as const satisfies Record<string, readonly [status: number, message: string]>

export type ErrorCode = keyof typeof ERRORS

/** A refusal that the caller is told of. `message` replaces the code's own text where more can be said. */
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

/** A validation error on fields that only an operation could check, such as an id that must exist. */
export const invalid = (...details: ErrorDetail[]): ApiError => new ApiError('VALIDATION_ERROR', { details })
