// The table of channels.
import type { Channels } from './channel.ts'
import { email } from './email/channel.ts'
import { facebook } from './facebook/channel.ts'
import { sms } from './sms/channel.ts'
import { telegram } from './telegram/channel.ts'
import { web } from './web/channel.ts'
import { whatsapp } from './whatsapp/channel.ts'

export const channels: Channels = { web, whatsapp, facebook, telegram, sms, email }
