import type { PlacedStep } from './definition-index.ts'

/** A finding about a definition, in words for the person who edits it. */
export type Problem = {
  /** Errors keep a flow from being published; warnings don't. */
  severity: 'error' | 'warning'
  code: ProblemCode
  /** Where it is; null: in the flow as a whole. */
  block: string | null
  stepId: string | null
  message: string
}

export type ProblemCode =
  | 'too_large'
  | 'too_deep'
  | 'bad_value'
  | 'wrong_shape'
  | 'too_many_steps'
  | 'reserved_name'
  | 'doubled_step'
  | 'doubled_option'
  | 'unknown_block'
  | 'endless_loop'
  | 'background_speaks'
  | 'background_waits'
  | 'waits_too_long'
  | 'bad_pattern'
  | 'bad_template'
  | 'bad_options'
  | 'bad_range'
  | 'bad_percent'
  | 'not_writable'
  | 'incomplete_trigger'
  | 'unreachable_block'
  | 'unreachable_step'
  | 'no_end'
  | 'no_way_out'
  | 'window_may_close'
  | 'doubled_title'
  | 'shown_as_text'
  | 'missing_translation'
  | 'deleted_reference'
  | 'read_before_set'
  | 'never_starts'
  | 'flow_circle'
  | 'flow_too_deep'
  | 'private_in_note'
  | 'long_text'
  | 'failing_test'

/** The most problems that are listed: nobody reads more, and each takes time. */
export const PROBLEMS_MAX = 100

/** A problem of a step; `says` goes on after its id. */
export const problemAt = (
  code: ProblemCode,
  { block, step }: Pick<PlacedStep, 'block' | 'step'>,
  says: string,
  severity: Problem['severity'] = 'warning',
): Problem => ({ severity, code, block, stepId: step.id, message: `Step ${step.id}: ${says}` })
