import { countOf } from '../../state/amounts.ts'
import type { LeftoverList } from '../../state/types.ts'
import { t } from '../../words/t.ts'
import { useSetting } from './use-setting.ts'

export const useLeftovers = () => useSetting<LeftoverList>('leftovers', '/leftovers')

/** Beyond this, they aren't counted. */
const COUNTED_MAX = 1_000

export const leftoversTitle = (total: number): string =>
  total === 1
    ? t`1 delivery needs attention`
    : t`${countOf(total)}${total === COUNTED_MAX ? '+' : ''} deliveries need attention`
