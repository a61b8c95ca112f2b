// How an account signs in to its mail server: by the user and password in its address or, where it has a refresh token,
// with access tokens that the library renews by itself.
import type { ChannelAccount } from '../channel.ts'
import type { OauthSecrets } from './access-token.ts'

const userOf = (smtpUrl: string): string => {
  const { username } = new URL(smtpUrl)
  try {
    return decodeURIComponent(username)
  } catch {
    return username
  }
}

export const smtpSignIn = ({ address, secrets }: Pick<ChannelAccount, 'address' | 'secrets'>) => {
  const smtpUrl = secrets.smtpUrl ?? ''
  const { oauthTokenUrl, oauthClientId, oauthClientSecret, oauthRefreshToken }: OauthSecrets = secrets
  if (!oauthRefreshToken) return { url: smtpUrl }
  return {
    url: smtpUrl,
    auth: {
      type: 'OAuth2' as const,
      user: userOf(smtpUrl) || (address ?? ''),
      clientId: oauthClientId,
      clientSecret: oauthClientSecret,
      refreshToken: oauthRefreshToken,
      accessUrl: oauthTokenUrl,
    },
  }
}
