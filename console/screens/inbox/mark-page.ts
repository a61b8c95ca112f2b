import type { Mark } from '../../../marks/find-marks.ts'

/** Marks what was found in the texts of an email's page. The result takes the marks away again. */
export const markPage = (page: Document, find: (text: string) => Mark[]): (() => void) => {
  const texts: Text[] = []
  const walker = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) texts.push(walker.currentNode as Text)
  const marked: HTMLElement[] = []
  // From the end, so that the earlier places stay valid.
  for (const text of texts)
    for (const [start, end] of find(text.data).toReversed()) {
      const found = text.splitText(start)
      found.splitText(end - start)
      const mark = page.createElement('mark')
      found.replaceWith(mark)
      mark.append(found)
      marked.push(mark)
    }
  return () => {
    for (const mark of marked) {
      const { parentNode } = mark
      mark.replaceWith(...mark.childNodes)
      parentNode?.normalize()
    }
  }
}
