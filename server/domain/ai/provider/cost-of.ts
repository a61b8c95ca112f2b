import type { Usage } from '../../../../models/contract.ts'
import type { Prices } from './schema.ts'

const PER = 1_000_000

/** In millionths of the provider's currency; 0 if the prices aren't known. */
export const costOf = ({ inputTokens, cachedTokens, outputTokens }: Usage, prices: Prices | null): number => {
  if (!prices) return 0
  const cached = Math.min(cachedTokens, inputTokens)
  const sum = (inputTokens - cached) * prices.input + cached * prices.cached + outputTokens * prices.output
  return Math.round(sum / PER)
}
