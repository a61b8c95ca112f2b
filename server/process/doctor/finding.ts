/** One thing that was looked at, and what to do about it if it isn't all right. */
export type Finding = {
  check: string
  status: 'ok' | 'warn' | 'fail'
  message: string
  next?: string
}

export const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message })
export const warn = (check: string, message: string, next: string): Finding => ({
  check,
  status: 'warn',
  message,
  next,
})
export const fail = (check: string, message: string, next: string): Finding => ({
  check,
  status: 'fail',
  message,
  next,
})

/** The first line of an error; one for several addresses has no message of its own. */
export const reasonOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  const { message, code, cause } = error as Error & { code?: string }
  // fetch hides the reason.
  if (message === 'fetch failed' && cause) return reasonOf(cause)
  return (message || code || 'no reason given').split('\n', 1)[0]!
}
