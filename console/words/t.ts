// The tags of every text that people read. A build puts the text of its language in place of each (build.ts), so neither
// a tag nor another language is loaded; without a build the texts are English.
import { createElement, Fragment, type ReactNode } from 'react'

/** What only tells two meanings of one English word apart, as in t`:state:Open`. */
const MEANING = /^:[a-z ]+:/

const texts = (strings: TemplateStringsArray): string[] =>
  strings.map((text, index) => (index === 0 ? text.replace(MEANING, '') : text))

/** A text, with values: t`${count} conversations`. */
export const t = (strings: TemplateStringsArray, ...values: (string | number | null | undefined)[]): string =>
  String.raw({ raw: texts(strings) }, ...values)

/** A text with elements in it: rich`Send to ${<bdi>{name}</bdi>}`. */
export const rich = (strings: TemplateStringsArray, ...values: ReactNode[]): ReactNode =>
  createElement(Fragment, null, ...texts(strings).flatMap((text, index) => [text, values[index]]))
