import type { Guidance, GuidanceRule } from '../../../platform/db/tables.ts'
import { isMeant, type Who } from '../audience.ts'

/** More rules in one prompt are followed less well. */
export const FITTING_RULES_MAX = 12

/** `isOpen`: by the default business hours. */
export type RuleFacts = Who & { isOpen: boolean }

/** The rules that hold for this customer now: the first of those whose conditions are met. */
export const fittingRules = ({ rules }: Pick<Guidance, 'rules'>, facts: RuleFacts): GuidanceRule[] =>
  rules
    .filter(
      ({ only }) =>
        isMeant(only, facts) && (only.hours === 'always' || facts.isOpen === (only.hours === 'open')),
    )
    .slice(0, FITTING_RULES_MAX)
