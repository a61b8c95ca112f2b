import type { Attachment, OutgoingEmail } from '../../../state/types.ts'
import type { Returned } from '../returned.ts'
import { fromRequestHtml } from './document.ts'

/** An email that was undone, as the composer goes on with it. */
export const takenBack = (
  { html, ...mail }: OutgoingEmail,
  attachments: readonly Attachment[],
): Pick<Returned, 'html' | 'mail' | 'attachments'> => ({
  // It has its signature.
  mail: { ...mail, isUnsigned: true },
  html:
    html === undefined ? null : fromRequestHtml(html, new Map(attachments.map(({ id, url }) => [id, url]))),
  attachments: attachments.filter(({ id }) => !html?.includes(`cid:${id}`)),
})
