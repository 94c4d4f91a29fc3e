// gnark on 2^K - 4 squarings of a dense witness: setup, then proofs. `gnark-chain K PROOFS`.
// The statement is that of `cuzk-bench prove chain` and `cuzk-peer chain-setup-prove`.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/consensys/gnark-crypto/ecc"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/consensys/gnark/backend/groth16"
	"github.com/consensys/gnark/frontend"
	"github.com/consensys/gnark/frontend/cs/r1cs"
	"github.com/consensys/gnark/logger"
)

type chain struct {
	X         frontend.Variable
	Y         frontend.Variable `gnark:",public"`
	squarings int
}

func (c *chain) Define(api frontend.API) error {
	value := c.X
	for i := 0; i < c.squarings; i++ {
		value = api.Mul(value, value)
	}
	api.AssertIsEqual(value, c.Y)
	return nil
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "gnark-chain:", err)
		os.Exit(1)
	}
}

func number(i int) int {
	if i >= len(os.Args) {
		must(fmt.Errorf("usage: gnark-chain K PROOFS"))
	}
	n, err := strconv.Atoi(os.Args[i])
	must(err)
	return n
}

func main() {
	logger.Disable()
	squarings, proofs := 1<<number(1)-4, number(2)
	start := time.Now()
	system, err := frontend.Compile(ecc.BLS12_381.ScalarField(), r1cs.NewBuilder, &chain{squarings: squarings})
	must(err)
	pk, vk, err := groth16.Setup(system)
	must(err)
	fmt.Printf("setup %.3f\n", time.Since(start).Seconds())
	var y fr.Element
	y.SetUint64(3)
	for i := 0; i < squarings; i++ {
		y.Square(&y)
	}
	for i := 0; i < proofs; i++ {
		start = time.Now()
		witness, err := frontend.NewWitness(&chain{X: 3, Y: y}, ecc.BLS12_381.ScalarField())
		must(err)
		proof, err := groth16.Prove(system, pk, witness)
		must(err)
		fmt.Printf("prove %.3f\n", time.Since(start).Seconds())
		public, err := witness.Public()
		must(err)
		must(groth16.Verify(proof, vk, public))
	}
}
