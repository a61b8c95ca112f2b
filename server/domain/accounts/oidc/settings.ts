/** The operator's settings for signing in through an identity provider by OpenID Connect. */
export type OidcSettings = {
  issuer: string
  clientId: string
  clientSecret: string
  /** What people call the provider. */
  name: string
  /** The domains of the emails that may sign in, in lower case; empty: all. */
  allowedDomains: readonly string[]
  /** Its emails count as verified even if it doesn't say so. */
  trustsEmails: boolean
  /** No codes by email. */
  isOnly: boolean
}
