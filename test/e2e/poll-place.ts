import { join } from 'node:path'
import type { Place } from '../pollers.ts'
import { command, type Env, makeWorkspace, ROOT } from './foyer.ts'

const APP_SECRET = 'app-secret'
const PHONE_NUMBER_ID = '106540352242922'

/** A workspace with a website and a WhatsApp number that only receives. */
export const makePollPlace = async (env: Env): Promise<Place> => {
  const { workspaceId, secret, channelId } = await makeWorkspace(env)
  const { channel } = await command(
    env,
    ...['channel', 'add', 'whatsapp', '--workspace', workspaceId, '--phone-number', '+15550783881'],
    ...['--phone-number-id', PHONE_NUMBER_ID, '--business-account-id', '102290129340398'],
    ...['--access-token', 'EAAtest', '--app-secret', APP_SECRET, '--verify-token', 'verify-token'],
  )
  return {
    secret,
    webChannelId: channelId,
    whatsappId: channel.id,
    appSecret: APP_SECRET,
    phoneNumberId: PHONE_NUMBER_ID,
  }
}

/** The settings of a process whose clock is wrong from the start. */
export const shiftedClock = (ms: number): Env => ({
  CLOCK_SHIFT_MS: String(ms),
  NODE_OPTIONS: `--import=${join(ROOT, 'test/shifted-clock.ts')}`,
})
