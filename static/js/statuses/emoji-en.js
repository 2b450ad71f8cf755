// Emoji by group, each with its name. emoji.js shows them.
export default {
  Smileys: `
    😀 grinning
    😃 big smile
    😄 smiling with smiling eyes
    😁 beaming
    😅 grinning with sweat
    😂 tears of joy
    🤣 rolling on the floor laughing
    😊 smiling warmly
    🙂 slight smile
    🙃 upside down
    😉 wink
    😍 heart eyes
    🥰 smiling with hearts
    😘 blowing a kiss
    😋 savoring food
    😜 winking with tongue
    🤪 zany
    😎 sunglasses
    🤩 star-struck
    🥳 partying
    🤔 thinking
    🤨 raised eyebrow
    😐 neutral
    🙄 rolling eyes
    😏 smirking
    😴 sleeping
    😢 crying
    😭 sobbing
    😱 screaming in fear
    😡 angry
    🤯 mind blown
    😇 halo
  `,
  Hands: `
    👍 thumbs up
    👎 thumbs down
    👏 clapping
    🙌 raised hands
    🙏 folded hands
    🤝 handshake
    👋 waving
    ✌️ victory
    🤞 crossed fingers
    👌 OK
    💪 strong
    🫶 heart hands
    👀 eyes
    🤷 shrugging
    🤦 facepalm
    🙋 raising a hand
  `,
  "Animals and nature": `
    🐦 bird
    🦉 owl
    🦆 duck
    🦢 swan
    🐶 dog
    🐱 cat
    🦊 fox
    🐻 bear
    🐼 panda
    🐸 frog
    🐝 bee
    🦋 butterfly
    🌱 seedling
    🌳 tree
    🍀 four leaf clover
    🌸 cherry blossom
    🌻 sunflower
    🍂 fallen leaves
    ☀️ sun
    🌙 moon
    ⭐ star
    🌈 rainbow
    🌧️ rain
    ❄️ snowflake
    🐭 mouse
    🐰 rabbit
    🐯 tiger
    🦁 lion
    🐮 cow
    🐷 pig
    🐵 monkey
    🐔 chicken
    🐧 penguin
    🐴 horse
    🦄 unicorn
    🐢 turtle
    🐍 snake
    🐙 octopus
    🐟 fish
    🐳 whale
    🐬 dolphin
    🐌 snail
    🐞 ladybird
    🌹 rose
    🌵 cactus
    🍄 mushroom
    🌊 wave
    ⚡ lightning
    ☁️ cloud
    🌍 earth
  `,
  "Food and drink": `
    ☕ coffee
    🍵 tea
    🍺 beer
    🍷 wine
    🍎 apple
    🍓 strawberry
    🍋 lemon
    🥑 avocado
    🍞 bread
    🧀 cheese
    🍕 pizza
    🍜 noodles
    🥟 dumpling
    🍚 rice
    🍰 cake
    🍦 ice cream
    🍌 banana
    🍇 grapes
    🍉 watermelon
    🍑 peach
    🍅 tomato
    🌽 corn
    🥕 carrot
    🍔 burger
    🍟 fries
    🌮 taco
    🍣 sushi
    🥗 salad
    🥚 egg
    🍫 chocolate
    🍪 cookie
    🍩 doughnut
    🥂 cheers
    🧋 bubble tea
  `,
  "Activities and places": `
    ⚽ football
    🏃 running
    🚲 bicycle
    🎵 music
    🎨 painting
    📚 books
    📷 camera
    🎮 video game
    🎉 party popper
    🎂 birthday cake
    🎁 gift
    🚀 rocket
    🚂 train
    ✈️ airplane
    🏠 house
    🏔️ mountain
    🏀 basketball
    🎾 tennis
    🏊 swimming
    🎸 guitar
    🎤 singing
    🎬 film
    💻 computer
    📱 phone
    ⏰ alarm clock
    🚗 car
    🚌 bus
    ⛵ sailing
    🏖️ beach
    ⛺ camping
    🏆 trophy
  `,
  "Hearts and signs": `
    ❤️ red heart
    🧡 orange heart
    💛 yellow heart
    💚 green heart
    💙 blue heart
    💜 purple heart
    💔 broken heart
    💯 hundred points
    ✨ sparkles
    🔥 fire
    💡 idea
    ✅ done
    ❌ cross mark
    ❓ question
    ❗ exclamation
    👉 pointing right
    🖤 black heart
    🤍 white heart
    💕 two hearts
    💤 asleep
    ⚠️ warning
    🔔 bell
    📌 pin
    👇 pointing down
    👆 pointing up
  `,
}
