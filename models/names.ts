/** The protocols that we speak. Plain data, so that it can be read without loading one. */
export const MODEL_KINDS = ['chat_completions', 'responses', 'messages'] as const
export type ModelKind = (typeof MODEL_KINDS)[number]

export const MODEL_KIND_LABELS: Record<ModelKind, string> = {
  chat_completions: 'OpenAI-compatible (Chat Completions)',
  responses: 'OpenAI (Responses)',
  messages: 'Anthropic (Messages)',
}

/** The provider that made the protocol. Others have addresses of their own. */
export const DEFAULT_BASE_URLS: Record<ModelKind, string> = {
  chat_completions: 'https://api.openai.com/v1',
  responses: 'https://api.openai.com/v1',
  messages: 'https://api.anthropic.com',
}
