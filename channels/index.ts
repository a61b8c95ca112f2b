// The one table of channels.
import type { Channels } from './channel.ts'
import { checkEmail } from './email/check.ts'
import { EMAIL_ATTACHMENTS } from './email/compose.ts'
import { openMailbox } from './email/mailbox.ts'
import { closeParser, parseMail } from './email/parse.ts'
import { closeEmail, sendEmail } from './email/send.ts'
import { loopMark, readMessageId, readReplyAddress } from './email/thread-ids.ts'
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
  email: {
    delivery: 'sent',
    send: sendEmail,
    check: checkEmail,
    close: () => {
      closeEmail()
      closeParser()
    },
    isResendHarmless: true,
    openMailbox,
    parseMail,
    readMessageId,
    readReplyAddress,
    loopMark,
    attachments: EMAIL_ATTACHMENTS,
  },
}
