// Checks what an endpoint is to be, in words that name the field.
import { AddressNotAllowed, checkAddress, refuseUrl } from '../../../channels/channel.ts'
import { type ErrorDetail, invalid } from '../../platform/errors.ts'
import { HEADERS_BYTES_MAX, type NewWebhookEndpoint, URL_MAX } from './schema.ts'

const HEADER_NAME = /^(?!__proto__$)[!#$%&'*+.^_`|~0-9a-z-]+$/
/** Printable ASCII and tabs, so that a value can't end its line. */
const HEADER_VALUE = /^[\t\x20-\x7e]+$/
/** They belong to the connection, to the body, or to us. */
const OWN_HEADERS =
  /^(host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-.*|accept|accept-encoding|user-agent|cookie|webhook-.*|foyer-.*)$/

export type GivenHeaders = NonNullable<NewWebhookEndpoint['headers']>

/** The URL as it will be requested. Throws VALIDATION_ERROR on `url`; each connection is checked again. */
export const readUrl = async (text: string): Promise<string> => {
  const refuse = (message: string) => invalid({ field: 'url', message })
  if (!URL.canParse(text)) throw refuse('is not a valid URL')
  const url = new URL(text)
  const refusal = refuseUrl(url)
  if (refusal) throw refuse(refusal)
  if (url.hash !== '' || text.includes('#')) throw refuse('must not contain a #')
  if (url.href.length > URL_MAX) throw refuse(`must have at most ${URL_MAX} characters`)
  const isSecure = url.protocol === 'https:'
  try {
    await checkAddress(url.hostname, Number(url.port) || (isSecure ? 443 : 80), isSecure ? 'every' : 'listed')
  } catch (error) {
    if (error instanceof AddressNotAllowed)
      throw refuse(
        isSecure
          ? 'leads to an address that isn’t allowed. Whoever runs Foyer can add it to OUTBOUND_ALLOW'
          : 'must begin with https://, unless whoever runs Foyer adds the host to OUTBOUND_ALLOW',
      )
    throw error
  }
  return url.href
}

/**
 * The headers' values by lowercase name; one without a value keeps the stored one. Throws VALIDATION_ERROR on
 * `headers[i]`.
 */
export const readHeaders = (
  headers: GivenHeaders,
  stored: Readonly<Record<string, string>>,
): Record<string, string> => {
  const problems: ErrorDetail[] = []
  const values: Record<string, string> = {}
  let bytes = 0
  for (const [index, { name: given, value: givenValue }] of headers.entries()) {
    const name = given.toLowerCase()
    const value = givenValue ?? (Object.hasOwn(stored, name) ? stored[name] : undefined)
    const refuse = (message: string) => problems.push({ field: `headers[${index}]`, message })
    if (!HEADER_NAME.test(name)) refuse('the name can’t be that of a header')
    else if (OWN_HEADERS.test(name)) refuse(`${name} is set by Foyer`)
    else if (Object.hasOwn(values, name)) refuse(`${name} is listed twice`)
    else if (value === undefined) refuse(`the value of ${name} must be entered`)
    else if (!HEADER_VALUE.test(value)) refuse(`the value of ${name} must be printable ASCII on one line`)
    else {
      values[name] = value
      bytes += name.length + value.length
    }
  }
  if (bytes > HEADERS_BYTES_MAX)
    problems.push({ field: 'headers', message: `must have at most ${HEADERS_BYTES_MAX} bytes together` })
  if (problems.length > 0) throw invalid(...problems)
  return values
}
