// The one table of channels.
import type { Channels } from './channel.ts'
import { openMailbox } from './email/mailbox.ts'
import { closeEmail, sendEmail } from './email/send.ts'
import { facebook } from './facebook/channel.ts'
import { sms } from './sms/channel.ts'
import { telegram } from './telegram/channel.ts'
import { whatsapp } from './whatsapp/channel.ts'

export const channels: Channels = {
  web: { delivery: 'stored', isResendHarmless: true, attachments: { max: 10, bytesMax: 25 * 1024 * 1024 } },
  whatsapp,
  facebook,
  telegram,
  sms,
  email: { delivery: 'sent', send: sendEmail, close: closeEmail, isResendHarmless: true, openMailbox },
}
