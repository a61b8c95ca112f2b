// Verifies Twilio's webhook signature: an HMAC over the configured URL and the form's fields.
// https://www.twilio.com/docs/usage/security#validating-requests
import { createHmac, timingSafeEqual } from 'node:crypto'

/** The fields of a form; a key may occur several times. */
export type Form = ReadonlyMap<string, readonly string[]>

/** Keys by byte order, each followed by its distinct values. Empty values count, and nothing is trimmed. */
const joined = (form: Form): string =>
  [...form]
    .map(([key, values]) => ({ key, values, bytes: Buffer.from(key) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ key, values }) =>
      [...new Set(values)]
        .sort()
        .map((value) => key + value)
        .join(''),
    )
    .join('')

const digestOf = (authToken: string, text: string): Buffer =>
  createHmac('sha1', authToken).update(text, 'utf8').digest()

/** The signature that Twilio would send. */
export const signatureOf = (authToken: string, url: string, form: Form): string =>
  digestOf(authToken, url + joined(form)).toString('base64')

/**
 * The URL with and without its port: which one was signed depends on the proxies between Twilio and us. The rest stays
 * unchanged.
 */
const spellingsOf = (url: string): string[] => {
  const match = /^(https?):\/\/([^/?#]*)/.exec(url)
  if (!match) return [url]
  const [start, scheme, host] = match
  const rest = url.slice(start.length)
  const bare = host!.replace(/:\d+$/, '')
  const port = scheme === 'https' ? 443 : 80
  return [
    ...new Set([
      url,
      `${scheme}://${bare}${rest}`,
      ...(bare === host ? [`${scheme}://${bare}:${port}${rest}`] : []),
    ]),
  ]
}

/** Whether the request was signed with the account's token. `url` is the public address, as Twilio has it configured. */
export const isSigned = (
  authToken: string,
  { url, form, signature }: { url: string; form: Form; signature: string | undefined },
): boolean => {
  // Anyone can compute an HMAC with an empty key.
  if (!authToken || !signature) return false
  const given = Buffer.from(signature, 'base64')
  const fields = joined(form)
  let matches = false
  for (const spelling of spellingsOf(url)) {
    const expected = digestOf(authToken, spelling + fields)
    if (given.length === expected.length && timingSafeEqual(given, expected)) matches = true
  }
  return matches
}
