const YEARS = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')] as const

/** PostgreSQL accepts neither the year 0 nor five-digit years as JavaScript writes them. */
export const storableTime = (text: string): string =>
  new Date(Math.min(Math.max(Date.parse(text), YEARS[0]), YEARS[1])).toISOString()
