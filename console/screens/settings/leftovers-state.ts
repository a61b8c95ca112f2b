import { countOf } from '../../state/amounts.ts'
import type { LeftoverList } from '../../state/types.ts'
import { useSetting } from './use-setting.ts'

export const useLeftovers = () => useSetting<LeftoverList>('leftovers', '/leftovers')

/** Beyond this, they aren't counted. */
const COUNTED_MAX = 1_000

export const leftoversTitle = (total: number): string =>
  total === 1
    ? '1 delivery needs attention'
    : `${countOf(total)}${total === COUNTED_MAX ? '+' : ''} deliveries need attention`
