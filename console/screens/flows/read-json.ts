// Reads JSON and says on which line it stops being JSON.
import { t } from '../../words/t.ts'

type Read = { value: unknown } | { problem: string; line: number | null }

export const readJson = (text: string): Read => {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    const message = error instanceof Error ? error.message : ''
    return { problem: t`This isn’t valid JSON.`, line: lineIn(message, text) }
  }
}

/** Browsers name the place differently: by line, or by position. */
const lineIn = (message: string, text: string): number | null => {
  const line = /line (\d+)/.exec(message)?.[1]
  if (line !== undefined) return Number(line)
  const position = /position (\d+)/.exec(message)?.[1]
  if (position !== undefined) return text.slice(0, Number(position)).split('\n').length
  return /end of (JSON|data)|Unexpected EOF/i.test(message) ? text.split('\n').length : null
}

/** The line on which a step has its id. */
export const lineOfStep = (text: string, stepId: string): number | null => {
  const at = text.search(new RegExp(`"id"\\s*:\\s*"${stepId.replace(/[^\w-]/g, '')}"`))
  return at < 0 ? null : text.slice(0, at).split('\n').length
}
