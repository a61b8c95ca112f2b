// The paths that steps may write to. Apart from change.ts, which writes them, so that the checks need no interpreter.
import type { StepOf } from './step-schema.ts'

/** What a flow may set of a contact, besides `fields.<key>`. */
export const CONTACT_FIELDS = ['name', 'email', 'phone', 'language'] as const
export const FIELD_PATH = /^contact\.(name|email|phone|language|fields\.[^.]{1,64})$/
export const VARIABLE_PATH = /^run\.([a-zA-Z0-9_]+)$/

/** Whether a step may write to a path: a variable of the run, or a field of the contact. */
export const isWritable = (path: string): boolean => FIELD_PATH.test(path) || VARIABLE_PATH.test(path)

/** Where an answer is stored: the variable, the field, or both. */
export const storePaths = (store: StepOf<'ask'>['store']): string[] =>
  store === undefined ? [] : typeof store === 'string' ? [store] : [store.run, store.contact]
