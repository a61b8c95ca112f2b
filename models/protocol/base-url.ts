import { refuseUrl } from '../../channels/protocol/guarded-request.ts'
import { AddressNotAllowed, checkAddress } from '../../channels/protocol/outbound.ts'

/**
 * Why requests can't go to this base URL, in words that follow the name of the field; undefined if they can. Without TLS
 * only to hosts that the operator listed. A host that can't be found now may be found later, unless the list has to be
 * compared with its address.
 */
export const refuseBaseUrl = async (baseUrl: string): Promise<string | undefined> => {
  const url = URL.parse(baseUrl)
  if (!url) return 'must be a URL such as https://api.example.com/v1'
  const refusal = refuseUrl(url)
  if (refusal) return refusal
  const isSecure = url.protocol === 'https:'
  const port = Number(url.port) || (isSecure ? 443 : 80)
  try {
    const isFound = await checkAddress(url.hostname, port, isSecure ? 'every' : 'listed')
    return isFound || isSecure ? undefined : 'has a host that can’t be found'
  } catch (error) {
    if (!(error instanceof AddressNotAllowed)) throw error
    return isSecure
      ? 'leads to an address that isn’t public. Enter another, or ask whoever runs Foyer to add it to OUTBOUND_ALLOW'
      : 'must begin with https://, unless whoever runs Foyer has added the host to OUTBOUND_ALLOW'
  }
}
