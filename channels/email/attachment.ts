// An email attachment with a safe name and type.
import { cleanName } from './clean-text.ts'
import { type MailAttachment, NAME_MAX } from './mail.ts'

/** For files without a name. */
const NAMES: Record<string, string> = {
  'message/rfc822': 'message.eml',
  'message/delivery-status': 'delivery-status.txt',
  'text/calendar': 'invitation.ics',
  'application/ms-tnef': 'winmail.dat',
  'text/rfc822-headers': 'headers.txt',
}

/** Just a file name: no path, and no invisible or direction-changing characters. */
const nameOf = (given: string, mimeType: string): string => {
  const name = cleanName(given.normalize('NFC'))
    .replace(/^.*[/\\]/, '')
    .replace(/^\.+/, '')
    .trim()
  return name || NAMES[mimeType] || 'attachment'
}

const mimeTypeOf = (given: string): string =>
  (/^[\w.+-]{1,60}\/[\w.+-]{1,80}/.exec(given)?.[0] ?? 'application/octet-stream').toLowerCase()

type Given = { name: string; mimeType: string; content: Buffer; cid: string | null }

export const attachmentOf = ({ name, mimeType, content, cid }: Given): MailAttachment => ({
  name: nameOf(name, mimeType.toLowerCase()),
  mimeType: mimeTypeOf(mimeType),
  content,
  cid: cid ? cid.slice(0, NAME_MAX) : null,
})
