// Messenger as one of the channels: Meta's webhooks and Send API behind the contract that the server knows.
import type {
  ChannelAccount,
  ChannelCheck,
  FacebookChannel,
  FetchedMedia,
  MediaOptions,
  SocialProfile,
} from '../channel.ts'
import { problemOf } from '../check.ts'
import { download, isLoopback } from '../download.ts'
import { closeConnections } from '../exchange.ts'
import { answerHandshake, isSigned } from '../meta/signature.ts'
import { idOf, lineOf, textOf } from '../read-json.ts'
import { apiUrlOf, call, WINDOW_CLOSED_CODE } from './client.ts'
import { parseWebhook } from './parse.ts'
import { attachments, send } from './send.ts'

/** Where Meta keeps what people send: no token is asked for there, and none is given. */
const MEDIA_HOSTS = /(^|\.)(fbcdn\.net|fbsbx\.com|facebook\.com|cdninstagram\.com)$/

const isMediaAddress = (account: ChannelAccount, url: URL): boolean => {
  const base = new URL(apiUrlOf(account))
  if (url.host === base.host && url.protocol === base.protocol) return true
  if (isLoopback(base)) return isLoopback(url) && /^https?:$/.test(url.protocol)
  return url.protocol === 'https:' && url.port === '' && MEDIA_HOSTS.test(url.hostname)
}

const fetchMedia = (
  account: ChannelAccount,
  { url }: Record<string, unknown>,
  options: MediaOptions,
): Promise<FetchedMedia> =>
  download({
    ...options,
    provider: 'Facebook',
    url: String(url),
    trustOf: (asked) => (isMediaAddress(account, asked) ? {} : undefined),
  })

const fetchProfile = async (
  account: ChannelAccount,
  externalId: string,
  { timeoutMs }: { timeoutMs: number },
): Promise<SocialProfile> => {
  const profile = await call(account, {
    path: encodeURIComponent(externalId),
    query: { fields: 'first_name,last_name,profile_pic' },
    timeoutMs,
    isRepeatable: true,
  })
  const names = [lineOf(profile.first_name, 200), lineOf(profile.last_name, 200)]
  const url = textOf(profile.profile_pic, 4096)
  return {
    name: names.filter((part) => part !== null).join(' ') || null,
    username: null,
    // Its query is signed anew each time.
    avatar: url === null || !URL.canParse(url) ? null : { source: { url }, key: new URL(url).pathname },
  }
}

const check = async (
  account: ChannelAccount,
  { timeoutMs }: { timeoutMs: number },
): Promise<ChannelCheck[]> => {
  const name = 'Page'
  try {
    const page = await call(account, {
      path: 'me',
      query: { fields: 'id,name' },
      timeoutMs,
      isRepeatable: true,
    })
    const isOurs = idOf(page.id) === String(account.settings.pageId ?? '')
    const called = lineOf(page.name) ?? 'without a name'
    return [
      isOurs
        ? { name, ok: true, message: `Facebook knows the page ${called}.` }
        : { name, ok: false, message: `The access token is of another page, ${called}.` },
    ]
  } catch (error) {
    return [{ name, ok: false, message: problemOf(error) }]
  }
}

export const facebook: FacebookChannel = {
  delivery: 'sent',
  send,
  isClosedToApi: true,
  attachments,
  fetchMedia,
  fetchProfile,
  check,
  close: closeConnections,
  isResendHarmless: false,
  replyWindow: { hours: 24, refusalCode: WINDOW_CLOSED_CODE, errorCode: 'REPLY_WINDOW_CLOSED' },
  isSigned,
  answerHandshake,
  parseWebhook,
}
