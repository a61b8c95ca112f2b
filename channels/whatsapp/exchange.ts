// One HTTP exchange with WhatsApp: the token travels in a header only, and a failure is one of WhatsApp's.
import { DeliveryError } from '../channel.ts'
import {
  type Answer,
  type ExchangeRequest as AnyRequest,
  exchange as exchangeWith,
  openExchange as openExchangeWith,
  type StreamedAnswer,
} from '../exchange.ts'
import { WhatsAppError } from './errors.ts'

export { type Answer, closeConnections } from '../exchange.ts'

export type ExchangeRequest = Omit<AnyRequest, 'provider' | 'authorization'> & { accessToken: string }

const toWhatsApp = ({ accessToken, ...request }: ExchangeRequest): AnyRequest => ({
  ...request,
  provider: 'WhatsApp',
  authorization: `Bearer ${accessToken}`,
})

const rethrow = (error: unknown): never => {
  if (!(error instanceof DeliveryError)) throw error
  const { outcome, code, message, cause } = error
  const failure = { outcome, code, message, detail: null, kind: 'other', isAccountWide: false } as const
  throw new WhatsAppError(failure, { cause })
}

/** The head of the answer, its body still to be read. Throws a WhatsAppError where none came. */
export const openExchange = (request: ExchangeRequest): Promise<StreamedAnswer> =>
  openExchangeWith(toWhatsApp(request)).catch(rethrow)

/** The whole answer as text, up to bytesMax. */
export const exchange = (request: ExchangeRequest, bytesMax: number): Promise<Answer> =>
  exchangeWith(toWhatsApp(request), bytesMax).catch(rethrow)
