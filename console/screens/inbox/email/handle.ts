import type { Draft } from '../drafts.ts'
import type { EmailRequest } from './request.ts'

/** What the composer asks of the field in which an email is written. */
export type RichField = {
  focus: () => void
  /** The draft with a text where the cursor is. */
  inserted: (text: string) => Pick<Draft, 'reply' | 'html' | 'mail'>
  /** Puts a text in place of all that is written; the editor's undo takes it back. */
  replace: (text: string) => void
  undo: () => void
  /** What is sent; null if it can't be, which the person has been told. */
  request: () => EmailRequest | null
}
