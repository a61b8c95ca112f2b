// Reads the applications that the operator registered for connecting mailboxes by signing in.
import type { MailProviderName } from '../../channels/channel.ts'
import { clientOf, type MailOauthClient } from '../domain/channel-accounts/mailbox-oauth/provider.ts'

type Read = <T>(name: string, parse: (text: string) => T, fallback: T) => T

const given = (text: string): string => text

const tenantId = (text: string): string => {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text))
    throw new Error('must be the ID of a directory, like 00000000-0000-0000-0000-000000000000')
  return text.toLowerCase()
}

export const readMailOauth = (read: Read, problems: string[]): MailOauthClient[] => [
  ...readClient(
    'google',
    {
      GOOGLE_CLIENT_ID: read('GOOGLE_CLIENT_ID', given, ''),
      GOOGLE_CLIENT_SECRET: read('GOOGLE_CLIENT_SECRET', given, ''),
    },
    problems,
  ),
  ...readClient(
    'microsoft',
    {
      MICROSOFT_CLIENT_ID: read('MICROSOFT_CLIENT_ID', given, ''),
      MICROSOFT_CLIENT_SECRET: read('MICROSOFT_CLIENT_SECRET', given, ''),
      MICROSOFT_TENANT_ID: read('MICROSOFT_TENANT_ID', tenantId, ''),
    },
    problems,
  ),
]

/** Empty if it isn't registered. */
const readClient = (
  name: MailProviderName,
  settings: Record<string, string>,
  problems: string[],
): MailOauthClient[] => {
  const [clientId = '', clientSecret = '', tenant = ''] = Object.values(settings)
  const values = Object.values(settings)
  if (values.every(Boolean)) return [clientOf(name, { clientId, clientSecret, tenant })]
  const names = Object.keys(settings)
  if (values.some(Boolean) && !problems.some((problem) => names.some((one) => problem.startsWith(one))))
    problems.push(`${names.slice(0, -1).join(', ')} and ${names.at(-1)} must be set together`)
  return []
}
