// How long the console takes to open a flow of 300 steps: from the click on its name until every step is painted.
import type { Page } from 'playwright-core'
import { type FlowDefinition, STEPS_MAX } from '../flow-engine/schema.ts'

const BLOCKS = 30
const NAME = 'Three hundred steps'

const stepOf = (number: number): FlowDefinition['blocks'][string]['steps'][number] => {
  const id = `s${number}`
  if (number % 3 > 0) return { id, type: 'send', text: `Message ${number} to {{contact.firstName|you}}` }
  return {
    id,
    type: 'ask',
    answer: 'choice',
    text: `Question ${number}?`,
    options: [
      { id: 'yes', title: 'Yes, please' },
      { id: 'no', title: 'No, thanks', goto: 'people' },
    ],
    retry: { then: 'people' },
    timeout: { after: 'P1D', then: 'end' },
  }
}

const LARGE: FlowDefinition = {
  schema: 1,
  kind: 'dialog',
  language: 'en',
  triggers: [{ on: 'api' }],
  start: 'b1',
  blocks: Object.fromEntries(
    Array.from({ length: BLOCKS }, (_, at) => [
      `b${at + 1}`,
      {
        title: `Block ${at + 1}`,
        steps: Array.from({ length: STEPS_MAX / BLOCKS }, (_, step) =>
          stepOf((at * STEPS_MAX) / BLOCKS + step + 1),
        ),
        next: at + 1 < BLOCKS ? `b${at + 2}` : 'end',
      },
    ]),
  ),
}

/** Milliseconds of each round. The page is signed in to the workspace. */
export const measureFlowEditor = async (
  page: Page,
  { origin, workspaceId, rounds }: { origin: string; workspaceId: string; rounds: number },
): Promise<number[]> => {
  await page.goto(`${origin}/flows`)
  await page.evaluate(
    async ([path, body]) => {
      const headers = { 'content-type': 'application/json', 'x-foyer-console': '1' }
      const answer = await fetch(path!, { method: 'POST', headers, body: body! })
      if (!answer.ok) throw new Error(await answer.text())
    },
    [
      `/console/api/workspaces/${workspaceId}/flows`,
      JSON.stringify({ name: NAME, definition: LARGE }),
    ] as const,
  )
  const figures: number[] = []
  for (let round = 0; round < rounds; round++) {
    await page.goto('about:blank')
    await page.goto(`${origin}/flows`)
    await page.getByRole('link', { name: NAME }).waitFor()
    // A string, because it runs in the page.
    const painted = page.evaluate<number>(`new Promise((done) => {
      let from
      addEventListener('click', () => { from = performance.now() }, { capture: true, once: true })
      const look = () =>
        requestAnimationFrame(() =>
          document.querySelectorAll('[data-row^="step"]').length >= ${STEPS_MAX} ? done(performance.now() - from) : look())
      look()
    })`)
    await page.getByRole('link', { name: NAME }).click()
    figures.push(await painted)
  }
  return figures
}
