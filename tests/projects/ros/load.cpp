// Loads a plugin as ROS does, and prints what it gives at one state: M, the Coriolis vector, gravity, friction, torques.
#include <class_loader/class_loader.hpp>
#include <inverse_dynamics_solver/inverse_dynamics_solver.hpp>
#include <iostream>

int main(int, char** arguments)
{
    class_loader::ClassLoader loader(arguments[1]);
    const auto solver = loader.createInstance<inverse_dynamics_solver::InverseDynamicsSolver>("arm_dynamics::Solver");
    const int dof = std::stoi(arguments[2]);
    const Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(dof, 0.1, 0.9), qd = Eigen::VectorXd::LinSpaced(dof, -0.5, 1.0),
                          qdd = Eigen::VectorXd::LinSpaced(dof, 1.0, -2.0);
    solver->initialize();
    const auto [M, coriolis, gravity] = solver->getDynamicParameters(q, qd);
    std::cout.precision(17);
    std::cout << M << '\n' << coriolis.transpose() << '\n' << gravity.transpose() << '\n'
              << solver->getFrictionVector(qd).transpose() << '\n' << solver->getTorques(q, qd, qdd).transpose() << '\n';
    try {
        solver->getGravityVector(Eigen::VectorXd::Zero(dof + 1));
    } catch (const std::invalid_argument& error) {
        std::cerr << error.what() << '\n';
        return 0;
    }
    return 1;
}
