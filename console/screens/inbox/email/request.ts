// What is sent of an email that was written.
import type { Mail, OutgoingEmail } from '../../../state/types.ts'
import { toast } from '../../../ui/toast.tsx'
import { t } from '../../../words/t.ts'
import { isAddress } from './addresses.ts'
import { type Content, type InlineImage, imagesIn, toRequestHtml } from './document.ts'

export type EmailRequest = { body: string; email: OutgoingEmail; images: InlineImage[] }

const problemOf = ({ to, cc = [], bcc = [] }: Mail): string | null => {
  const wrong = [...to, ...cc, ...bcc].find(({ address }) => !isAddress(address))
  if (wrong) return t`${wrong.address} isn’t an email address.`
  return to.length === 0 ? t`Add a recipient in To.` : null
}

/** Null if it can't be sent, which the person is told. */
export const requestOf = (
  { subject = '', isUnsigned: _, ...mail }: Mail,
  { text, html }: Content,
): EmailRequest | null => {
  const problem = problemOf(mail)
  if (problem) {
    toast(problem, { tone: 'danger' })
    return null
  }
  return {
    body: text,
    email: {
      ...mail,
      ...(subject.trim() && { subject: subject.trim() }),
      ...(html !== null && { html: toRequestHtml(html) }),
    },
    images: html === null ? [] : imagesIn(html),
  }
}
