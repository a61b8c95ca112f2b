// Providers whose mailboxes are connected by signing in, and where their mail is. Microsoft:
// https://learn.microsoft.com/exchange/client-developer/legacy-protocols/how-to-authenticate-an-imap-pop-smtp-application-by-using-oauth
// Google: https://developers.google.com/workspace/gmail/imap/xoauth2-protocol
export const MAIL_PROVIDERS = {
  google: {
    label: 'Google',
    issuer: 'https://accounts.google.com',
    scope: 'openid email https://mail.google.com/',
    // Only then does it give a refresh token, also to those who agreed before.
    parameters: { access_type: 'offline', prompt: 'consent' },
    smtpUrl: 'smtps://smtp.gmail.com:465',
    imapUrl: 'imaps://imap.gmail.com:993',
    plusAddressing: true,
  },
  microsoft: {
    label: 'Microsoft 365',
    /** Of one organisation: tokens name the tenant that they are from. */
    issuer: 'https://login.microsoftonline.com/{tenant}/v2.0',
    scope:
      'openid email profile offline_access https://outlook.office.com/IMAP.AccessAsUser.All https://outlook.office.com/SMTP.Send',
    parameters: { prompt: 'select_account' },
    smtpUrl: 'smtp://smtp.office365.com:587',
    imapUrl: 'imaps://outlook.office365.com:993',
    plusAddressing: false,
  },
} as const

export type MailProviderName = keyof typeof MAIL_PROVIDERS
