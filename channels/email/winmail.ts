// Replaces Outlook's winmail.dat with its contents (see tnef.ts).
import { attachmentOf } from './attachment.ts'
import { cleanText } from './clean-text.ts'
import type { Collected } from './collect-parts.ts'
import { ATTACHMENTS_MAX } from './mail.ts'
import { readTnef } from './tnef.ts'

const TNEF = /^application\/(?:vnd\.)?ms-tnef$/
/** Per email; further ones are kept as files. */
const OPENED_MAX = 3

/** Adds its files to the email's, and uses its text if the email has none. */
export const withOpenedWinmail = (parts: Collected): Collected => {
  const opened: Collected = { ...parts, attachments: [] }
  let count = 0
  for (const one of parts.attachments) {
    const isTnef = TNEF.test(one.mimeType) || one.name.toLowerCase() === 'winmail.dat'
    const tnef = isTnef && count < OPENED_MAX ? readTnef(one.content) : undefined
    if (!tnef) {
      opened.attachments.push(one)
      continue
    }
    count++
    const isBare = opened.text.trim() === '' && opened.html === ''
    if (isBare) opened.text = cleanText(tnef.text)
    if (isBare) opened.html = cleanText(tnef.html)
    const files = tnef.files.map(({ mimeType, content, ...file }) =>
      attachmentOf({ ...file, mimeType: mimeType ?? '', content: Buffer.from(content) }),
    )
    opened.attachments.push(...files)
    // What can't be read stays a file.
    const hasText = tnef.text !== '' || tnef.html !== ''
    if (!hasText && (isBare || files.length === 0)) opened.attachments.push(one)
  }
  opened.isCut ||= opened.attachments.length > ATTACHMENTS_MAX
  opened.attachments = opened.attachments.slice(0, ATTACHMENTS_MAX)
  return opened
}
