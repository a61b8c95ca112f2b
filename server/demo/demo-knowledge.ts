// What the demo's AI agent knows: the saved answers of a stoneware shop.
import { setAiAgent } from '../domain/agents/set-ai-agent.ts'
import { saveAnswer } from '../domain/knowledge/answers.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'

type SavedAnswer = { title: string; body: string; phrasings: string[] }

const ANSWERS: SavedAnswer[] = [
  {
    title: 'Gift wrapping',
    body: 'We wrap gifts in printed tissue, without extra charge. Just tick “gift” at the checkout, and add a few words for the card if you like.',
    phrasings: [
      'Do you wrap gifts?',
      'Do you wrap the breakfast set as a gift?',
      'Can I have it gift wrapped?',
      'Is gift wrapping free?',
      'Can you wrap my order as a present?',
      'I would like to add a card to a gift',
    ],
  },
  {
    title: 'Shipping costs',
    body: 'Shipping is €4.90 within the EU and free from €80. To the UK and Switzerland it is €12.',
    phrasings: [
      'How much is shipping?',
      'What does delivery cost?',
      'Is shipping free?',
      'What are the shipping fees?',
      'From which amount is delivery free?',
      'Do I pay for postage?',
    ],
  },
  {
    title: 'Countries we ship to',
    body: 'We ship to all countries of the EU, to the UK and to Switzerland. We can’t send parcels overseas yet.',
    phrasings: [
      'Do you ship to Austria?',
      'Which countries do you deliver to?',
      'Do you ship abroad?',
      'Can you send it to Switzerland?',
      'Do you deliver to the UK?',
      'International shipping',
    ],
  },
  {
    title: 'Delivery time',
    body: 'What is in stock leaves the studio within two working days, and takes two to four more to reach you.',
    phrasings: [
      'How long does delivery take?',
      'When will my parcel arrive?',
      'How fast do you ship?',
      'How many days until I get my order?',
      'When do you send it?',
    ],
  },
  {
    title: 'Returns',
    body: 'You can return anything within 30 days, as long as it hasn’t been used. Write to us here and we’ll send you a label.',
    phrasings: [
      'How long do I have to return something?',
      'Can I send my order back?',
      'What is your return policy?',
      'How do I return a cup?',
      'I want to give it back',
      'Can I get a refund if I don’t like it?',
    ],
  },
  {
    title: 'Oven and dishwasher',
    body: 'All our stoneware goes into the dishwasher and the microwave. In the oven it takes up to 220 °C: let it warm up with the oven instead of putting it into a hot one.',
    phrasings: [
      'Can the large platter go into the oven?',
      'Is it dishwasher safe?',
      'Can I put the bowls in the microwave?',
      'How hot can the oven be?',
      'Is the stoneware oven proof?',
    ],
  },
  {
    title: 'Seconds',
    body: 'We sell seconds, with small marks in the glaze, at 30 % off. New ones are on the site on the first Friday of each month.',
    phrasings: [
      'Do you sell seconds?',
      'Do you have pieces with small flaws?',
      'Is there a sale of second choice?',
      'When are the next seconds available?',
    ],
  },
]

/** Turns the AI agent of a new demo on, and saves its answers. */
export const prepareKnowledge = async (ctx: Ctx): Promise<void> => {
  await setAiAgent(ctx, { isEnabled: true })
  // An interrupted start may have saved it.
  for (const answer of ANSWERS)
    await saveAnswer(ctx, null, { ...answer, language: 'en', externalId: `demo ${answer.title}` })
}
