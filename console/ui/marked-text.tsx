// Text with the words of a search marked. What comes from data is never HTML.
import { createContext, type ReactNode, useContext } from 'react'
import type { Mark } from '../../marks/find-marks.ts'

/** Finds what to mark in the texts below it; null if nothing is searched for. */
export const MarksContext = createContext<((text: string) => Mark[]) | null>(null)

export const withMarks = (text: string, marks: readonly Mark[]): ReactNode => {
  if (marks.length === 0) return text
  const parts: ReactNode[] = []
  let at = 0
  for (const [start, end] of marks) {
    parts.push(text.slice(at, start), <mark key={start}>{text.slice(start, end)}</mark>)
    at = end
  }
  return [...parts, text.slice(at)]
}

export const MarkedText = ({ text }: { text: string }) => {
  const find = useContext(MarksContext)
  return find ? withMarks(text, find(text)) : text
}
