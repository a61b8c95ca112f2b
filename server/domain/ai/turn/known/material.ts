// Sources as a model reads them: between elements of ours, which nothing in them can close.
import { cleanLine, cleanText, PART_MAX } from '../../guards/clean-text.ts'
import type { Shown } from './turn-in-hand.ts'

export const sourceElements = (shown: readonly Shown[]): string =>
  shown
    .map(
      ({ ref, source: { title, text } }) =>
        `<source id="${ref}" title="${cleanLine(title).replaceAll('"', '”')}">\n${cleanText(text, PART_MAX.chunk)}\n</source>`,
    )
    .join('\n')
