// The one table of channels.
import type { Channels } from './channel.ts'
import { openMailbox } from './email/mailbox.ts'
import { closeEmail, sendEmail } from './email/send.ts'
import { whatsapp } from './whatsapp/channel.ts'

export const channels: Channels = {
  web: { delivery: 'stored', isResendHarmless: true, attachments: { max: 10, bytesMax: 25 * 1024 * 1024 } },
  whatsapp,
  facebook: { delivery: 'none', isResendHarmless: false },
  telegram: { delivery: 'none', isResendHarmless: false },
  sms: { delivery: 'none', isResendHarmless: false },
  email: { delivery: 'sent', send: sendEmail, close: closeEmail, isResendHarmless: true, openMailbox },
}
