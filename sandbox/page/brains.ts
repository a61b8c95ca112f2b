// The models' brains and failures, in words.

/** Empty: the one whose name the request has. */
export const BRAINS = [
  { value: '', label: 'The model that is asked for' },
  { value: 'sandbox-person', label: 'You' },
  { value: 'sandbox-facts', label: 'Rules: says what the sources say' },
  { value: 'sandbox-gullible', label: 'Gullible: obeys whatever it reads' },
  { value: 'sandbox-talker', label: 'Talker: never calls a tool' },
]

export const brainName = (brain: string | null): string =>
  BRAINS.find(({ value }) => value === (brain ?? ''))?.label ?? brain ?? ''

export const MODEL_FAILURES = [
  { value: 'rate-limit', label: 'Too many requests (429)' },
  { value: 'overloaded', label: 'Overloaded (529)' },
  { value: 'server', label: 'Server error (500)' },
  { value: 'key', label: 'Wrong key (401)' },
  { value: 'too-long', label: 'Context too long (400)' },
  { value: 'hang', label: 'No response' },
  { value: 'truncated', label: 'Truncated JSON' },
  { value: 'html', label: 'HTML instead of JSON' },
  { value: 'empty-content', label: 'Empty answer' },
  { value: 'length', label: 'Cut off at the limit' },
  { value: 'refusal', label: 'Refusal' },
  { value: 'unknown-tool', label: 'Calls an unknown tool' },
  { value: 'broken-arguments', label: 'Broken arguments' },
  { value: 'many-calls', label: 'Forty calls at once' },
]

export const failureName = (kind: string): string =>
  MODEL_FAILURES.find(({ value }) => value === kind)?.label ?? kind
